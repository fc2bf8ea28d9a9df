"id","name","tag","empty","x_lang","text"
"1","Ann","t_bc2969c32e9a8460fb22fc7151ee017d","","",""
"2","Bob","","","en","text"
