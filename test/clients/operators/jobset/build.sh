copy_module sigs.k8s.io/jobset@v0.12.0
use_libraries
compile . jobset
load_image us-central1-docker.pkg.dev/k8s-staging-images/jobset/jobset:v0.12.0 jobset:/manager
