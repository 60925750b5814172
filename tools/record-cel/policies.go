package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/cel-go/cel"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
)

// policyCase is expressions of a policy, and their results for one request.
type policyCase struct {
	Name        string           `json:"name"`
	Params      json.RawMessage  `json:"params,omitempty"`
	Authorizer  bool             `json:"authorizer,omitempty"`
	Patches     bool             `json:"patches,omitempty"`
	Variables   []policyVariable `json:"variables,omitempty"`
	Expressions []string         `json:"expressions"`
	Returns     string           `json:"returns,omitempty"`
	Object      json.RawMessage  `json:"object,omitempty"`
	OldObject   json.RawMessage  `json:"oldObject,omitempty"`
	Request     json.RawMessage  `json:"request,omitempty"`
	Namespace   json.RawMessage  `json:"namespace,omitempty"`
	Budget      int64            `json:"budget,omitempty"`

	Want *policyAnswer `json:"want"`
}

type policyVariable struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

func (v policyVariable) GetName() string          { return v.Name }
func (v policyVariable) GetExpression() string    { return v.Expression }
func (v policyVariable) ReturnTypes() []*cel.Type { return []*cel.Type{cel.AnyType, cel.DynType} }

type policyExpression struct {
	expression string
	returns    []*cel.Type
}

func (e policyExpression) GetExpression() string    { return e.expression }
func (e policyExpression) ReturnTypes() []*cel.Type { return e.returns }

type policyAnswer struct {
	Results   []string `json:"results,omitempty"`
	Fatal     string   `json:"fatal,omitempty"`
	Remaining int64    `json:"remaining"`
}

var returnTypes = map[string][]*cel.Type{
	"":        {cel.BoolType},
	"any":     {cel.AnyType},
	"message": {cel.StringType},
	"audit":   {cel.StringType, cel.NullType},
	"patch":   {cel.ListType(cel.ObjectType("JSONPatch"))},
	"apply":   {cel.ObjectType("Object")},
}

func recordPolicy(given, raw json.RawMessage) (any, error) {
	var c, whole policyCase
	if err := decodeOver(&whole, given, raw); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	want, err := answerPolicy(&whole)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	c.Want = want
	return c, nil
}

func answerPolicy(c *policyCase) (*policyAnswer, error) {
	base := environment.MustBaseEnvSet(version.MajorMinor(1, 37))
	compiler, err := plugincel.NewCompositedCompiler(base)
	if err != nil {
		return nil, err
	}
	options := plugincel.OptionalVariableDeclarations{
		HasParams: !isAbsent(c.Params), HasAuthorizer: c.Authorizer, HasPatchTypes: c.Patches,
	}
	var variables []plugincel.NamedExpressionAccessor
	for _, variable := range c.Variables {
		variables = append(variables, variable)
	}
	compiler.CompileAndStoreVariables(variables, options, environment.StoredExpressions)
	var expressions []plugincel.ExpressionAccessor
	for _, expression := range c.Expressions {
		expressions = append(expressions, policyExpression{expression, returnTypes[c.Returns]})
	}
	condition := compiler.CompileCondition(expressions, options, environment.StoredExpressions)

	bindings := plugincel.OptionalVariableBindings{}
	if !isAbsent(c.Params) {
		params, err := decodeObject(c.Params)
		if err != nil {
			return nil, err
		}
		bindings.VersionedParams = params
	}
	if c.Authorizer {
		bindings.Authorizer = fakeAuthorizer{}
	}
	attributes, err := policyAttributes(c)
	if err != nil {
		return nil, err
	}
	budget := c.Budget
	if budget == 0 {
		budget = 10_000_000
	}
	var request *admissionv1.AdmissionRequest
	if err := json.Unmarshal(c.Request, &request); err != nil {
		return nil, err
	}
	var namespace *corev1.Namespace
	if err := json.Unmarshal(c.Namespace, &namespace); err != nil {
		return nil, err
	}
	results, remaining, err := condition.ForInput(context.Background(), attributes, request, bindings,
		plugincel.CreateNamespaceObject(namespace), budget)
	answer := &policyAnswer{Remaining: remaining}
	if err != nil {
		answer.Fatal = err.Error()
	}
	for _, result := range results {
		if result.Error != nil {
			answer.Results = append(answer.Results, "error: "+result.Error.Error())
		} else {
			answer.Results = append(answer.Results, formatValue(result.EvalResult))
		}
	}
	return answer, nil
}

func policyAttributes(c *policyCase) (*admission.VersionedAttributes, error) {
	object, err := decodeObject(c.Object)
	if err != nil {
		return nil, err
	}
	old, err := decodeObject(c.OldObject)
	if err != nil {
		return nil, err
	}
	kind := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Thing"}
	resource := schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}
	attributes := admission.NewAttributesRecord(object, old, kind, "default", "thing", resource, "", admission.Create,
		nil, false, &user.DefaultInfo{Name: "alice"})
	return &admission.VersionedAttributes{
		Attributes: attributes, VersionedKind: kind,
		VersionedObject: admission.NewLazyObject(object), VersionedOldObject: admission.NewLazyObject(old),
	}, nil
}

func decodeObject(raw json.RawMessage) (runtime.Object, error) {
	if isAbsent(raw) {
		return nil, nil
	}
	value, err := decode(raw)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: value.(map[string]any)}, nil
}

func isAbsent(raw json.RawMessage) bool {
	return raw == nil || string(raw) == "null"
}
