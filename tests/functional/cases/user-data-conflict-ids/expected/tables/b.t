"id","tag","l","tag_u0","z"
"1","x","t_052e72d5c6cdcae551e9cdd216224ee7","T","1"
