# The unit of the package hxb.
1s|Copy to .*|Put the cluster file at /etc/hxb/cluster.yaml;|
2s|.*; then:|# then:|
s|/opt/hxb/deploy/hxb |/usr/bin/hxb |
s|^Documentation=.*|Documentation=man:hxb(1) file:/usr/share/doc/hxb/docs/howto/service.md|
s|: deploy/sysusers.d/hxb.conf makes both|: the package makes both|
