"ks","k"
"1","t_daad06e745079cdb79fbca9b2b6540be"
