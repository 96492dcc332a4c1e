# Sourced by deploy/package: the packages for Debian and Ubuntu, of what that has built.

# The newest version of the C library that files refer to; fails if they need a library that no dependency names.
needed_libc() { # files
  local other
  other=$({ objdump -p "$@" 2>/dev/null || true; } | sed -n 's/^ *NEEDED *//p' | sort -u |
    grep -vE '^(lib(c|m|dl|rt|pthread)\.so\.|ld-linux)' | grep -vxFf <(find "$tree/runtime" -name '*.so' -printf '%f\n') || true)
  [ -z "$other" ] || fail "no dependency of the packages has ${other//$'\n'/, }: add one in deploy/debian/control"
  # Scripts among the files are no objects.
  { objdump -T "$@" 2>/dev/null || true; } | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1
}

# What the package hxb has, in a folder that stands for /.
hxb_files() { # folder
  local from place
  mkdir -p "$1/usr/bin" "$1/usr/lib/hxb" "$1/etc/hxb" "$1/var/lib/hxb"
  cp -r "$tree/." "$1/usr/lib/hxb/"
  ln -s ../lib/hxb/bin/hxb "$1/usr/bin/hxb"
  shared "$1/usr/share"
  while read -r from place; do
    mkdir -p "$1/$(dirname "${place}x")"
    cp -r "$source/$from" "$1/$place"
  done < <(grep -v '^#' "$source/deploy/packaged/files")
  sed -i -f "$source/deploy/debian/unit.sed" "$1/usr/lib/systemd/system/hxb-node.service"
  sed -i '1,/^[^#]/{/^#/d}' "$1/usr/lib/sysusers.d/hxb.conf" "$1/usr/lib/tmpfiles.d/hxb.conf"
  gzip -9n "$1/usr/share/man/man1/hxb.1"
}

libhxb0_files() { # folder
  c_library install DESTDIR="$work/debs/c" LIBDIR="/usr/lib/$triplet"
  mkdir -p "$1/usr/lib/$triplet"
  cp "$work/debs/c/usr/lib/$triplet/libhxb.so.0" "$1/usr/lib/$triplet/"
  strip --strip-unneeded "$1/usr/lib/$triplet/libhxb.so.0"
  chmod 644 "$1/usr/lib/$triplet/libhxb.so.0"
}

libhxb_dev_files() { # folder
  mkdir -p "$1/usr"
  cp -r "$work/debs/c/usr/." "$1/usr/"
  rm "$1/usr/lib/$triplet/libhxb.so.0"
  gzip -9n "$1/usr/share/man/man3/hxb.3"
}

# Control fields, which dpkg reads, scripts and sums.
control() { # package, folder
  local script
  mkdir -p "$2/DEBIAN"
  for script in postinst prerm postrm; do
    [ "$1" != hxb ] || install -m 755 "$source/deploy/debian/$script" "$2/DEBIAN/"
  done
  [ "$1" != libhxb0 ] || printf 'libhxb 0 libhxb0 (>= %s)\n' "$version" >"$2/DEBIAN/shlibs"
  [ "$1" != libhxb0 ] || echo 'activate-noawait ldconfig' >"$2/DEBIAN/triggers"
  (cd "$2" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$2/DEBIAN/md5sums"
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nPriority: optional\n' "$1" "$version" \
      "$architecture" "$maintainer"
    [ "$1" = hxb ] || echo 'Source: hxb'
    printf 'Installed-Size: %s\n' "$(kibibytes "$2")"
    # The paragraph of the package.
    sed -n "/^Package: $1$/,/^$/{/^Package:/d;/^$/d;s/@LIBC@/$libc/;s/@VERSION@/$version/;p}" "$source/deploy/debian/control"
  } >"$2/DEBIAN/control"
}

kibibytes() { # folder
  find "$1" -path "$1/DEBIAN" -prune -o -type f -printf '%s\n' |
    awk '{ sum += int(($1 + 1023) / 1024) } END { print sum + 0 }'
}

documents() { # package, folder
  local doc=$2/usr/share/doc/$1
  mkdir -p "$doc"
  cp "$source/deploy/debian/copyright" "$doc/copyright"
  printf 'hxb (%s) unstable; urgency=medium\n\n  * Packaged by the project: see its CHANGELOG.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
  if [ -f "$source/deploy/debian/$1.lintian-overrides" ]; then
    mkdir -p "$2/usr/share/lintian/overrides"
    cp "$source/deploy/debian/$1.lintian-overrides" "$2/usr/share/lintian/overrides/$1"
  fi
}

debs() {
  local package folder libc architecture triplet maintainer='HXB maintainers <maintainers@hxb.invalid>'
  architecture=$(dpkg --print-architecture)
  triplet=$(uname -m)-linux-gnu
  rm -rf "$work/debs"
  mkdir -p "$work/debs"
  # shellcheck disable=SC2046
  libc=$(needed_libc $(find "$tree" -name '*.so' -o -path '*/bin/*' -type f) "$work/c/libhxb.so.0")
  for package in hxb libhxb0 libhxb-dev; do
    folder=$work/debs/$package
    "${package//-/_}_files" "$folder"
    documents "$package" "$folder"
    control "$package" "$folder"
    same_times "$folder"
    DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$folder" \
      "$out/${package}_${version}_$architecture.deb.new" >/dev/null
    mv "$out/${package}_${version}_$architecture.deb.new" "$out/${package}_${version}_$architecture.deb"
    echo "$out/${package}_${version}_$architecture.deb"
  done
}
