// Package words tests the English of the project: of documents, help, messages and
// comments. It has a list of words that are not plain or not idiomatic, and fails where a
// text that people read has one of them. Names in code are not texts.
package words
