copy_module sigs.k8s.io/lws@v0.9.0
use_libraries
compile ./cmd leader-worker-set
load_image us-central1-docker.pkg.dev/k8s-staging-images/lws/lws:release-0.9 leader-worker-set:/manager
