copy_module github.com/argoproj/argo-rollouts@v1.10.1
export MANIFESTS=$SOURCE/manifests
# Its go.mod replaces the libraries of Kubernetes by those of one version.
sed -i -E "s#(k8s.io/[a-z-]+ => k8s.io/[a-z-]+) v0\\.34\\.[0-9]+#\\1 $kubernetes#; s#(k8s.io/kubernetes) v[0-9.]+#\\1 v1${kubernetes#v0}#" \
  "$SOURCE/go.mod"
compile ./cmd/rollouts-controller rollouts-controller
load_image "$(image_of argo-rollouts "$MANIFESTS/install.yaml")" rollouts-controller
