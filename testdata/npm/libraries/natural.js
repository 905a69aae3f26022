const natural = require('natural');
const classifier = new natural.BayesClassifier();
classifier.addDocument('my unit tests failed', 'software');
classifier.addDocument('the ram is broken', 'hardware');
classifier.train();
const tfidf = new natural.TfIdf();
tfidf.addDocument('this document is about node');
tfidf.addDocument('this one is about ruby');
return JSON.stringify([
  new natural.WordTokenizer().tokenize('Your dog has fleas, hasn’t it?'), natural.PorterStemmer.stem('running'),
  natural.JaroWinklerDistance('dixon', 'dicksonx'),
  natural.LevenshteinDistance('kitten', 'sitting'), classifier.classify('did the tests pass'), tfidf.tfidf('node', 0),
  new natural.NounInflector().pluralize('radius'), new natural.Metaphone().process('phonetics'),
]);
