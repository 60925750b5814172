copy_module k8s.io/autoscaler/vertical-pod-autoscaler@v1.8.1
for program in recommender updater admission-controller; do
  compile "./pkg/$program" "vpa-$program"
  load_image "registry.k8s.io/autoscaling/vpa-$program:1.8.1" "vpa-$program:/$program"
done
