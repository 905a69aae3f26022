export const value = 5;
