// Package words tests the English of the project: of its documentation, help, messages
// and comments. It has a list of words that are not plain, and finds them in every
// text that people read. CONTRIBUTING.md says how to write instead.
package words
