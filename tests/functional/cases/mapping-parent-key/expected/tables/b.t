"id","c"
"1","0ea5f23cf3b05b7235a2e9be4f57d037"
