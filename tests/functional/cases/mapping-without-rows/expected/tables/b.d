"Y","c_pk"
