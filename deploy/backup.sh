#!/bin/sh
# Backs up one region and keeps 14 days: deploy/backup.sh us /backup
# Settings come from /etc/signalbox.env, as for the service; SIGNALBOX_HOME may name another data folder.
# Run it as root, who may read the settings. The owner of the data folder makes the backup, and can restore it.
set -eu
region=$1
folder=$2
if [ -r /etc/signalbox.env ]; then
  # Lines of the form NAME=value, with quotes or without, as systemd reads them.
  while IFS='=' read -r name value; do
    case $name in
      SIGNALBOX_* | OTEL_*)
        value=${value#\"}
        export "$name=${value%\"}"
        ;;
    esac
  done < /etc/signalbox.env
fi
export SIGNALBOX_HOME="${SIGNALBOX_HOME:-/var/lib/signalbox}"
as_owner=
if [ "$(id -u)" = 0 ] && [ -d "$SIGNALBOX_HOME" ]; then
  owner=$(stat -c %u "$SIGNALBOX_HOME")
  group=$(stat -c %g "$SIGNALBOX_HOME")
  [ -d "$folder" ] || install -d -m 700 -o "$owner" -g "$group" "$folder"
  as_owner="setpriv --reuid=$owner --regid=$group --clear-groups"
fi
mkdir -p "$folder"
$as_owner "$(dirname "$0")/../signalbox" backup --region "$region" --to "$folder/$region-$(date -u +%Y-%m-%dT%H-%M-%S).backup"
find "$folder" -name "$region-*.backup" -mtime +14 -delete
