import type * as metaV1 from "../meta/v1-definitions.ts";

export type FailurePolicyType = "Fail" | "Ignore";

export type MatchPolicyType = "Equivalent" | "Exact";

export type OperationType = "*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE";

export type PatchType = "ApplyConfiguration" | "JSONPatch";

export type ReinvocationPolicyType = "IfNeeded" | "Never";

export type ScopeType = "*" | "Cluster" | "Namespaced";

export type SideEffectClass = "None" | "NoneOnDryRun" | "Some" | "Unknown";

export type ValidationAction = "Audit" | "Deny" | "Warn";

export type ParameterNotFoundActionType = string;

export interface ApplyConfiguration {
  expression?: string;
}

export interface AuditAnnotation {
  key: string;
  valueExpression: string;
}

export interface ExpressionWarning {
  fieldRef: string;
  warning: string;
}

export interface JSONPatch {
  expression?: string;
}

export interface MatchCondition {
  name: string;
  expression: string;
}

export interface MatchResources {
  namespaceSelector?: metaV1.LabelSelector;
  objectSelector?: metaV1.LabelSelector;
  resourceRules?: NamedRuleWithOperations[];
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: MatchPolicyType;
}

export interface MutatingAdmissionPolicy extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: MutatingAdmissionPolicySpec;
}

export interface MutatingAdmissionPolicyBinding extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: MutatingAdmissionPolicyBinding[];
}

export interface MutatingAdmissionPolicyBindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
}

export interface MutatingAdmissionPolicyList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: MutatingAdmissionPolicy[];
}

export interface MutatingAdmissionPolicySpec {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  variables?: Variable[];
  mutations?: Mutation[];
  failurePolicy?: FailurePolicyType;
  matchConditions?: MatchCondition[];
  reinvocationPolicy?: ReinvocationPolicyType;
}

export interface MutatingWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[];
  failurePolicy?: FailurePolicyType;
  matchPolicy?: MatchPolicyType;
  namespaceSelector?: metaV1.LabelSelector;
  objectSelector?: metaV1.LabelSelector;
  sideEffects: SideEffectClass;
  timeoutSeconds?: number;
  admissionReviewVersions: string[];
  reinvocationPolicy?: ReinvocationPolicyType;
  matchConditions?: MatchCondition[];
}

export interface MutatingWebhookConfiguration extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  webhooks?: MutatingWebhook[];
}

export interface MutatingWebhookConfigurationList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: MutatingWebhookConfiguration[];
}

export interface Mutation {
  patchType: PatchType;
  applyConfiguration?: ApplyConfiguration;
  jsonPatch?: JSONPatch;
}

export interface NamedRuleWithOperations extends RuleWithOperations {
  resourceNames?: string[];
}

export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: metaV1.LabelSelector;
  parameterNotFoundAction?: ParameterNotFoundActionType;
}

export interface Rule {
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: ScopeType;
}

export interface RuleWithOperations extends Rule {
  operations?: OperationType[];
}

export interface ServiceReference {
  namespace: string;
  name: string;
  path?: string;
  port?: number;
}

export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[];
}

export interface ValidatingAdmissionPolicy extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ValidatingAdmissionPolicySpec;
  status?: ValidatingAdmissionPolicyStatus;
}

export interface ValidatingAdmissionPolicyBinding extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ValidatingAdmissionPolicyBinding[];
}

export interface ValidatingAdmissionPolicyBindingSpec {
  policyName: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  validationActions: ValidationAction[];
}

export interface ValidatingAdmissionPolicyList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ValidatingAdmissionPolicy[];
}

export interface ValidatingAdmissionPolicySpec {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  validations?: Validation[];
  failurePolicy?: FailurePolicyType;
  auditAnnotations?: AuditAnnotation[];
  matchConditions?: MatchCondition[];
  variables?: Variable[];
}

export interface ValidatingAdmissionPolicyStatus {
  observedGeneration?: number;
  typeChecking?: TypeChecking;
  conditions?: metaV1.Condition[];
}

export interface ValidatingWebhook {
  name: string;
  clientConfig: WebhookClientConfig;
  rules?: RuleWithOperations[];
  failurePolicy?: FailurePolicyType;
  matchPolicy?: MatchPolicyType;
  namespaceSelector?: metaV1.LabelSelector;
  objectSelector?: metaV1.LabelSelector;
  sideEffects: SideEffectClass;
  timeoutSeconds?: number;
  admissionReviewVersions: string[];
  matchConditions?: MatchCondition[];
}

export interface ValidatingWebhookConfiguration extends metaV1.TypeMeta {
  metadata: metaV1.ObjectMeta;
  webhooks?: ValidatingWebhook[];
}

export interface ValidatingWebhookConfigurationList extends metaV1.TypeMeta {
  metadata: metaV1.ListMeta;
  items: ValidatingWebhookConfiguration[];
}

export interface Validation {
  expression: string;
  message?: string;
  reason?: metaV1.StatusReason;
  messageExpression?: string;
}

export interface Variable {
  name: string;
  expression: string;
}

export interface WebhookClientConfig {
  url?: string;
  service?: ServiceReference;
  caBundle?: string;
}
