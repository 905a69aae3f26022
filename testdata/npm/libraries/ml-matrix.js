const { Matrix, solve, SVD, EVD, inverse, determinant } = require('ml-matrix');
const A = new Matrix([[2, 1, 1], [1, 3, 2], [1, 0, 0]]);
const round = (x) => Math.round(x * 1e9) / 1e9 + 0;
return JSON.stringify([
  solve(A, Matrix.columnVector([4, 5, 6])).to1DArray().map(round), round(determinant(A)),
  inverse(A).to2DArray().map((r) => r.map(round)),
  new SVD(A).diagonal.map(round), new EVD(A.mmul(A.transpose())).realEigenvalues.map(round), A.mmul(A).sum(),
  A.toString(),
]);
