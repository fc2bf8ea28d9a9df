"X","t_pk"
