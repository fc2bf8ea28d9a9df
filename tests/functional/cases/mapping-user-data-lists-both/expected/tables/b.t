"id","n","zero","one","two","a"
"5","N","x","y","a","dc6031ee37c929fd795daa852d80abea"
