# Its programs are modules of their own that no proxy has: ours starts its three parts from their packages.
CHART=$(module github.com/cert-manager/cert-manager@v1.21.2)/deploy/charts/cert-manager
export CHART
cp -r "$here/cert-manager" "$work/cert-manager"
SOURCE=$work/cert-manager compile . cert-manager
for program in controller webhook cainjector; do
  load_image "operators.test/cert-manager-$program:test" cert-manager $program
done
