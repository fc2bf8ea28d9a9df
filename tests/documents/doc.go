// Package documents checks the documentation as a whole: its links and anchors, its
// index, the shape of its pages, and the messages that the page about troubleshooting
// shows. Commands and outputs of single pages are tested beside the code that runs
// them.
package documents
