package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/util/jsonpath"
	"k8s.io/klog/v2"
	"k8s.io/kubectl/pkg/cmd/get"
)

func sortedNames(objects map[string]json.RawMessage) []string {
	var names []string
	for name := range objects {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// recordJSONPath returns the output of -o jsonpath, or the reason of the failure.
func recordJSONPath(text string, object json.RawMessage, strict bool) (string, error) {
	template := jsonpath.New("out").AllowMissingKeys(!strict)
	text, asJSON := strings.CutPrefix(text, "as-json:")
	template.EnableJSONOutput(asJSON)
	if err := template.Parse(text); err != nil {
		return "", errors.New("parse: " + err.Error())
	}
	var value map[string]any
	if err := utiljson.Unmarshal(object, &value); err != nil {
		return "", err
	}
	var out bytes.Buffer
	if err := template.Execute(&out, value); err != nil {
		return "", err
	}
	return out.String(), nil
}

// recordTemplate returns the output of -o go-template, and the failure.
func recordTemplate(text string, object json.RawMessage, strict bool) (string, error) {
	printer, err := printers.NewGoTemplatePrinter([]byte(text))
	if err != nil {
		return "", errors.New("parse: " + err.Error())
	}
	printer.AllowMissingKeys(!strict)
	var value map[string]any
	if err := utiljson.Unmarshal(object, &value); err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = printer.PrintObj(&unstructured.Unstructured{Object: value}, &out)
	// The rest is long, and helps only to debug the template.
	printed, _, _ := strings.Cut(out.String(), "Error executing template: ")
	return printed, err
}

// recordSort returns the names of the items of a list in their order.
func recordSort(text string, object json.RawMessage, strict bool) (string, error) {
	if strict {
		return recordSort(text, object, false)
	}
	var items []map[string]any
	if err := utiljson.Unmarshal(object, &items); err != nil {
		return "", err
	}
	var objects []runtime.Object
	for _, item := range items {
		objects = append(objects, &unstructured.Unstructured{Object: item})
	}
	failure := catchExit(func() error {
		_, err := get.SortObjects(unstructured.UnstructuredJSONScheme, objects, text)
		return err
	})
	if failure != nil {
		return "", failure
	}
	var names []string
	for _, sorted := range objects {
		names = append(names, sorted.(*unstructured.Unstructured).GetName())
	}
	return strings.Join(names, " "), nil
}

// recordColumns returns the output of -o custom-columns.
func recordColumns(text string, object json.RawMessage, strict bool) (string, error) {
	if strict {
		return recordColumns(text, object, false)
	}
	printer, err := get.NewCustomColumnsPrinterFromSpec(text, unstructured.UnstructuredJSONScheme, false)
	if err != nil {
		return "", errors.New("parse: " + err.Error())
	}
	var value map[string]any
	if err := utiljson.Unmarshal(object, &value); err != nil {
		return "", err
	}
	var printed runtime.Object = &unstructured.Unstructured{Object: value}
	if list, err := (&unstructured.Unstructured{Object: value}).ToList(); err == nil && value["items"] != nil {
		printed = list
	}
	var out bytes.Buffer
	if err := printer.PrintObj(printed, &out); err != nil {
		return "", err
	}
	return out.String(), nil
}

// catchExit turns a call that ends the program into an error.
func catchExit(run func() error) (failure error) {
	var logged bytes.Buffer
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	_ = flags.Set("logtostderr", "false")
	_ = flags.Set("alsologtostderr", "false")
	_ = flags.Set("stderrthreshold", "10")
	klog.SetOutput(&logged)
	klog.OsExit = func(int) { panic("exit") }
	defer func() {
		if recover() != nil {
			klog.Flush()
			_, message, _ := strings.Cut(logged.String(), "] ")
			message, _, _ = strings.Cut(message, "\n")
			if strings.HasPrefix(message, "Failed to get") {
				message = panicked // which prints the stacks of all goroutines
				failure = errors.New(message)
				return
			}
			failure = errors.New("fatal: " + message)
		}
	}()
	return run()
}
