# The unit of an archive (tar.gz) that was unpacked as /opt/hxb.
s|/opt/hxb/deploy/hxb |/opt/hxb/bin/hxb |
s|the project to /opt/hxb (built once by$|the folder of the archive to /opt/hxb,|
s|^# 'deploy/hxb --version'), |# |
