package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	rulescel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apiservercel "k8s.io/apiserver/pkg/cel"
	celcommon "k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/apiserver/pkg/cel/mutation/dynamic"

	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// expressionCase is one expression with its variables, and the answer to it.
type expressionCase struct {
	Expr string `json:"expr"`
	// Version is the compatibility version of a new expression; stored expressions see everything.
	Version string `json:"version,omitempty"`
	// Schema types self and oldSelf, as in x-kubernetes-validations.
	Schema  json.RawMessage            `json:"schema,omitempty"`
	Self    json.RawMessage            `json:"self,omitempty"`
	OldSelf json.RawMessage            `json:"oldSelf,omitempty"`
	Vars    map[string]json.RawMessage `json:"vars,omitempty"`
	// Admission declares authorizer and the patch types.
	Admission bool `json:"admission,omitempty"`

	Want *answer `json:"want"`
}

type answer struct {
	CompileError string `json:"compileError,omitempty"`
	Type         string `json:"type,omitempty"`
	ProgramError string `json:"programError,omitempty"`
	StaticMin    string `json:"min,omitempty"`
	StaticMax    string `json:"max,omitempty"`
	Value        string `json:"value,omitempty"`
	Error        string `json:"error,omitempty"`
	Cost         string `json:"cost,omitempty"`
}

func recordExpression(given, raw json.RawMessage) (any, error) {
	var c, whole expressionCase
	if err := decodeOver(&whole, given, raw); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	want, err := answerExpression(&whole)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Expr, err)
	}
	c.Want = want
	return c, nil
}

// decodeOver decodes the defaults of all cases and then the case itself.
func decodeOver(value any, given, raw json.RawMessage) error {
	if given != nil {
		if err := json.Unmarshal(given, value); err != nil {
			return err
		}
	}
	return json.Unmarshal(raw, value)
}

func answerExpression(c *expressionCase) (*answer, error) {
	env, estimator, activation, err := expressionEnvironment(c)
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(c.Expr)
	if issues != nil {
		return &answer{CompileError: issues.String()}, nil
	}
	result := &answer{Type: checker.FormatCELType(ast.OutputType())}
	static, err := env.EstimateCost(ast, estimator)
	if err != nil {
		return nil, err
	}
	result.StaticMin, result.StaticMax = fmt.Sprint(static.Min), fmt.Sprint(static.Max)
	program, err := env.Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.CostTracking(estimator),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		result.ProgramError = err.Error()
		return result, nil
	}
	value, details, err := program.ContextEval(context.Background(), activation)
	if details != nil && details.ActualCost() != nil {
		result.Cost = fmt.Sprint(*details.ActualCost())
	}
	if err != nil {
		result.Error = err.Error()
		return result, nil
	}
	result.Value = formatValue(value)
	return result, nil
}

func expressionEnvironment(c *expressionCase) (*cel.Env, *library.CostEstimator, map[string]any, error) {
	compatibility, kind := version.MajorMinor(1, 37), environment.StoredExpressions
	if c.Version != "" {
		compatibility, kind = version.MustParse(c.Version), environment.NewExpressions
	}
	estimator := &library.CostEstimator{}
	activation := map[string]any{}
	options := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0)}
	for name, raw := range c.Vars {
		value, err := decode(raw)
		if err != nil {
			return nil, nil, nil, err
		}
		activation[name] = value
		options.EnvOptions = append(options.EnvOptions, cel.Variable(name, cel.DynType))
	}
	if c.Schema != nil {
		if err := declareSelf(c, &options, estimator, activation); err != nil {
			return nil, nil, nil, err
		}
	}
	if c.Admission {
		options.EnvOptions = append(options.EnvOptions,
			cel.Variable("authorizer", library.AuthorizerType),
			cel.Variable("authorizer.requestResource", library.ResourceCheckType))
		reader := &user.DefaultInfo{Name: "alice"}
		activation["authorizer"] = library.NewAuthorizerVal(reader, fakeAuthorizer{})
	}
	set, err := environment.MustBaseEnvSet(compatibility).Extend(options)
	if err != nil {
		return nil, nil, nil, err
	}
	if c.Admission {
		set, err = set.Extend(environment.VersionedOptions{
			IntroducedVersion: version.MajorMinor(1, 0),
			EnvOptions: []cel.EnvOption{
				celcommon.ResolverEnvOption(&mutation.DynamicTypeResolver{}), library.JSONPatch(),
			},
		})
		if err != nil {
			return nil, nil, nil, err
		}
	}
	env, err := set.Env(kind)
	return env, estimator, activation, err
}

func declareSelf(c *expressionCase, options *environment.VersionedOptions, estimator *library.CostEstimator, activation map[string]any) error {
	structural, err := structuralSchema(c.Schema)
	if err != nil {
		return err
	}
	decl := model.SchemaDeclType(structural, structural.XEmbeddedResource)
	if decl == nil {
		return errors.New("schema has no declaration")
	}
	estimator.SizeEstimator = &sizeEstimator{root: decl}
	scoped := decl.MaybeAssignTypeName("selfType")
	options.DeclTypes = append(options.DeclTypes, scoped)
	options.EnvOptions = append(options.EnvOptions,
		cel.Variable("self", scoped.CelType()), cel.Variable("oldSelf", scoped.CelType()))
	for name, raw := range map[string]json.RawMessage{"self": c.Self, "oldSelf": c.OldSelf} {
		if raw == nil {
			continue
		}
		value, err := decode(raw)
		if err != nil {
			return err
		}
		activation[name] = rulescel.UnstructuredToVal(value, structural)
	}
	return nil
}

func structuralSchema(raw json.RawMessage) (*schema.Structural, error) {
	var external apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(raw, &external); err != nil {
		return nil, err
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		return nil, err
	}
	return schema.NewStructural(&internal)
}

// decode reads JSON the way unstructured objects are read: whole numbers are int64.
func decode(raw json.RawMessage) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return numbers(value), nil
}

func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = numbers(v[key])
		}
	}
	return value
}

// sizeEstimator bounds sizes by a declaration, following the path of a node.
type sizeEstimator struct{ root *apiservercel.DeclType }

func (s *sizeEstimator) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return nil
	}
	node := s.root
	for _, step := range element.Path()[1:] {
		switch step {
		case "@items", "@values":
			node = node.ElemType
		case "@keys":
			node = node.KeyType
		default:
			field, ok := node.Fields[step]
			if !ok {
				return nil
			}
			node = field.Type
		}
		if node == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(node.MaxElements)}
}

func (s *sizeEstimator) EstimateCallCost(_, _ string, _ *checker.AstNode, _ []checker.AstNode) *checker.CallEstimate {
	return nil
}

// fakeAuthorizer allows the verb "get", fails on "error" and repeats the request in its reason.
type fakeAuthorizer struct{}

func (fakeAuthorizer) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	reason := strings.Join([]string{a.GetUser().GetName(), a.GetVerb(), a.GetAPIGroup(), a.GetResource(),
		a.GetSubresource(), a.GetNamespace(), a.GetName(), a.GetPath()}, "|")
	switch a.GetVerb() {
	case "get":
		return authorizer.DecisionAllow, reason, nil
	case "error":
		return authorizer.DecisionNoOpinion, reason, errors.New("fake error")
	}
	return authorizer.DecisionDeny, reason, nil
}

// formatValue writes a value the way it would be written in an expression.
func formatValue(value ref.Val) string {
	switch v := value.(type) {
	case apiservercel.Quantity:
		return fmt.Sprintf("quantity(%q)", v.Quantity)
	case *apiservercel.Quantity:
		return fmt.Sprintf("quantity(%q)", v.Quantity)
	case apiservercel.IP:
		return fmt.Sprintf("ip(%q)", v.Addr)
	case apiservercel.CIDR:
		return fmt.Sprintf("cidr(%q)", v.Prefix)
	case apiservercel.URL:
		return fmt.Sprintf("url(%q)", v.URL)
	case apiservercel.Semver:
		return fmt.Sprintf("semver(%q)", v.Version)
	case *dynamic.ObjectVal:
		native, err := json.Marshal(v.Value())
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%s%s", v.Type().TypeName(), native)
	case *types.Type:
		return v.TypeName()
	case *types.Optional:
		if v.HasValue() {
			return fmt.Sprintf("optional.of(%s)", formatValue(v.GetValue()))
		}
		return "optional.none()"
	}
	if _, ok := value.(traits.Lister); !ok {
		if _, ok := value.(traits.Mapper); !ok && value.Type().TypeName() != "" && strings.Contains(value.Type().TypeName(), ".") {
			switch value.(type) {
			case types.Timestamp, types.Duration:
			default:
				return value.Type().TypeName()
			}
		}
	}
	return types.Format(value)
}
