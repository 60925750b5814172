// Command informers shows that client-go's informers, listers and leader election work on the API server of $KUBECONFIG,
// in protobuf. It ends with "ok" and the number of events seen, or with what went wrong.
package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	namespace = "informers"
	count     = 200
)

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.QPS, config.Burst = -1, -1
	client := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	must(err)
	defer client.CoreV1().Namespaces().Delete(context.Background(), namespace, metav1.DeleteOptions{})

	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	maps := factory.Core().V1().ConfigMaps()
	var added, updated, deleted atomic.Int64
	maps.Informer().AddEventHandler(cache.FilteringResourceEventHandler{
		// A controller puts one of its own into every namespace.
		FilterFunc: func(object any) bool {
			configMap, ok := object.(*corev1.ConfigMap)
			return !ok || configMap.Labels["half"] != ""
		},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { added.Add(1) },
			UpdateFunc: func(any, any) { updated.Add(1) },
			DeleteFunc: func(any) { deleted.Add(1) },
		},
	})
	deployments := factory.Apps().V1().Deployments().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if !deployments.HasSynced() {
		must(fmt.Errorf("deployments are not synced"))
	}

	start := time.Now()
	own := client.CoreV1().ConfigMaps(namespace)
	for i := range count {
		name := fmt.Sprintf("map-%d", i)
		_, err := own.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"half": fmt.Sprint(i % 2)}}}, metav1.CreateOptions{})
		must(err)
		_, err = own.Patch(ctx, name, types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{})
		must(err)
	}
	until("adds and updates", func() bool { return added.Load() == count && updated.Load() == count })
	half, err := labels.Parse("half=1")
	must(err)
	listed, err := maps.Lister().ConfigMaps(namespace).List(half)
	must(err)
	if len(listed) != count/2 || listed[0].Data["a"] != "b" {
		must(fmt.Errorf("the lister has %d objects", len(listed)))
	}
	must(own.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "half=1"}))
	until("deletes", func() bool { return deleted.Load() == count/2 })
	lead(ctx, client)
	fmt.Printf("ok: %d added, %d updated, %d deleted in %v\n", added.Load(), updated.Load(), deleted.Load(), time.Since(start).Round(time.Millisecond))
}

func until(what string, done func() bool) {
	err := wait.PollUntilContextTimeout(context.Background(), 5*time.Millisecond, 20*time.Second, true, func(context.Context) (bool, error) { return done(), nil })
	if err != nil {
		must(fmt.Errorf("%s did not arrive", what))
	}
}

func lead(ctx context.Context, client kubernetes.Interface) {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: "me"},
	}
	ctx, cancel := context.WithCancel(ctx)
	led := false
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, ReleaseOnCancel: true, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led = true; cancel() },
			OnStoppedLeading: func() {},
		},
	})
	if !led {
		must(fmt.Errorf("nobody leads"))
	}
}
