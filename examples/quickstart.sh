#!/bin/sh
# The main job, on what is shipped: replays a recorded SMB copy, predicts it on a branch office's WAN, and prints the verdict
# on a claim as a PDF in the current folder. Installs what is missing (Debian), builds, runs.
set -eu
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/cmake/packages.sh"

need_packages "$ROOT/build/packages.log" $BUILD_PACKAGES
build release copytrial
copytrial=$ROOT/build/release/cli/copytrial

echo "== A recorded copy: how it worked, how well the simulator repeats it, and how long it takes on a branch office's WAN"
"$copytrial" replay "$ROOT/traces/smb3-smbclient-get.pcap" --network branch-office
echo
echo "== Does removing Remote Differential Compression speed up copies?"
"$copytrial" verdict "$ROOT/examples/claims/rdc.yaml" -o rdc-verdict.pdf
echo
echo "The verdict as a PDF: $(pwd)/rdc-verdict.pdf"
