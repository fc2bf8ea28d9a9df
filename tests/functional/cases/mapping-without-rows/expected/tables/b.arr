"v","cc_pk"
