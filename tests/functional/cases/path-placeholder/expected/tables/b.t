"id","tags","links","odata_id"
"1","t_f397734aabaf810770e4bbe9f7de00ec","t_f397734aabaf810770e4bbe9f7de00ec","o1"
"2","t_b7fb02fe3ceb4b65de4e53a3ce17687c","t_b7fb02fe3ceb4b65de4e53a3ce17687c","o2"
"3","t_370bf698e49d70f7cf593a7d49e52acb","","o3"
