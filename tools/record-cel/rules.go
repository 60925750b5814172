package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	rulescel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	celcommon "k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

// rulesCase is an object (and the one it replaces) under a schema with x-kubernetes-validations.
type rulesCase struct {
	Name      string          `json:"name"`
	Schema    json.RawMessage `json:"schema,omitempty"`
	Object    json.RawMessage `json:"object,omitempty"`
	OldObject json.RawMessage `json:"oldObject,omitempty"`
	// Ratchet correlates object and oldObject, so that errors in unchanged parts become warnings.
	Ratchet bool `json:"ratchet,omitempty"`
	// Budget is the cost budget; 0 is the default of the server.
	Budget int64 `json:"budget,omitempty"`
	// Embedded is false when the schema is not that of a resource.
	Embedded *bool `json:"root,omitempty"`

	Want *rulesAnswer `json:"want"`
}

type rulesAnswer struct {
	Errors    []fieldError `json:"errors"`
	Warnings  []string     `json:"warnings,omitempty"`
	Remaining int64        `json:"remaining"`
}

type fieldError struct {
	Type   string `json:"type"`
	Field  string `json:"field"`
	Detail string `json:"detail,omitempty"`
	Text   string `json:"text"`
}

type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

func recordRules(given, raw json.RawMessage) (any, error) {
	var c, whole rulesCase
	if err := decodeOver(&whole, given, raw); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	structural, err := structuralSchema(whole.Schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	object, err := decode(whole.Object)
	if err != nil {
		return nil, err
	}
	var oldObject any
	if whole.OldObject != nil {
		if oldObject, err = decode(whole.OldObject); err != nil {
			return nil, err
		}
	}
	budget := whole.Budget
	if budget == 0 {
		budget = celconfig.RuntimeCELCostBudget
	}
	var options []rulescel.Option
	if whole.Ratchet {
		options = append(options, rulescel.WithRatcheting(
			celcommon.NewCorrelatedObject(object, oldObject, &model.Structural{Structural: structural})))
	}
	recorder := &warnings{}
	ctx := warning.WithWarningRecorder(context.Background(), recorder)
	validator := rulescel.NewValidator(structural, whole.Embedded == nil || *whole.Embedded, celconfig.PerCallLimit)
	errs, remaining := validator.Validate(ctx, nil, structural, object, oldObject, budget, options...)
	sort.Strings(recorder.texts)
	c.Want = &rulesAnswer{Errors: fieldErrors(errs), Warnings: recorder.texts, Remaining: remaining}
	return c, nil
}

func fieldErrors(errs field.ErrorList) []fieldError {
	result := []fieldError{}
	for _, e := range errs {
		result = append(result, fieldError{Type: string(e.Type), Field: e.Field, Detail: e.Detail, Text: e.Error()})
	}
	sort.SliceStable(result, func(i, j int) bool { return result[i].Field < result[j].Field })
	return result
}

// definitionCase is the schema of a custom resource definition as it is being created.
type definitionCase struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`

	Want []fieldError `json:"want"`
}

func recordDefinition(_, raw json.RawMessage) (any, error) {
	var c definitionCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	var external apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(c.Schema, &external); err != nil {
		return nil, err
	}
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com", ResourceVersion: "1"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &external},
			}},
		},
		Status: apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
	var internal apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(definition, &internal, nil); err != nil {
		return nil, err
	}
	c.Want = fieldErrors(validation.ValidateCustomResourceDefinition(context.Background(), &internal))
	return c, nil
}
