package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	kubeletscheme "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	kubeletvalidation "k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	proxyconfig "k8s.io/kubernetes/pkg/proxy/apis/config"
	proxyscheme "k8s.io/kubernetes/pkg/proxy/apis/config/scheme"
	proxyvalidation "k8s.io/kubernetes/pkg/proxy/apis/config/validation"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	schedulerscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	schedulervalidation "k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

func decode(decoder runtime.Decoder, header string, given json.RawMessage, into func(runtime.Object) bool) error {
	var text string
	if err := json.Unmarshal(given, &text); err != nil {
		return err
	}
	object, _, err := decoder.Decode([]byte(header+text), nil, nil)
	if err != nil {
		return err
	}
	if !into(object) {
		return fmt.Errorf("unexpected %T", object)
	}
	return nil
}

func validateKubelet(given json.RawMessage) error {
	_, codecs, err := kubeletscheme.NewSchemeAndCodecs(serializer.EnableStrict)
	if err != nil {
		return err
	}
	var config *kubeletconfig.KubeletConfiguration
	header := "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\ncontainerRuntimeEndpoint: unix:///run/x.sock\n"
	err = decode(codecs.UniversalDecoder(kubeletconfig.SchemeGroupVersion), header, given, func(object runtime.Object) (ok bool) {
		config, ok = object.(*kubeletconfig.KubeletConfiguration)
		return ok
	})
	if err != nil {
		return err
	}
	config.FailCgroupV1 = false // Otherwise the answer depends on the machine.
	return kubeletvalidation.ValidateKubeletConfiguration(config, utilfeature.DefaultFeatureGate)
}

func validateProxy(given json.RawMessage) error {
	var config *proxyconfig.KubeProxyConfiguration
	header := "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n"
	err := decode(proxyscheme.Codecs.UniversalDecoder(), header, given, func(object runtime.Object) (ok bool) {
		config, ok = object.(*proxyconfig.KubeProxyConfiguration)
		return ok
	})
	if err != nil {
		return err
	}
	return asError(proxyvalidation.Validate(config).ToAggregate())
}

func validateScheduler(given json.RawMessage) error {
	var config *schedulerconfig.KubeSchedulerConfiguration
	header := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	err := decode(schedulerscheme.Codecs.UniversalDecoder(), header, given, func(object runtime.Object) (ok bool) {
		config, ok = object.(*schedulerconfig.KubeSchedulerConfiguration)
		return ok
	})
	if err != nil {
		return err
	}
	config.APIVersion = "kubescheduler.config.k8s.io/v1" // As the program does.
	return asError(schedulervalidation.ValidateKubeSchedulerConfiguration(config))
}

func asError(err interface{ Error() string }) error {
	if err == nil {
		return nil
	}
	return err
}
