"ID","arr","never_pk"
