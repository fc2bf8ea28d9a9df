"first_name","oid_","timestamp","lines"
"Ann","1","2026","t_111becd9b8b1df92da852a40bef68751"
