"id","m_sto","column_3"
"1","Žilina; 'x'","3"
"2","Praha",""
