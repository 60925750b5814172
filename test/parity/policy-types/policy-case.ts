/** A policy and its name. */
export interface PolicyCase {
  readonly name: string;
  readonly spec: object;
}

/** The group of the custom kinds. */
export const group = "types.example.com";

export const rule = (apiGroup: string, version: string, ...resources: readonly string[]) => ({
  apiGroups: [apiGroup],
  apiVersions: [version],
  operations: ["*"],
  resources,
});

export const deployments = rule("apps", "v1", "deployments");
export const configMaps = rule("", "v1", "configmaps");
export const pods = rule("", "v1", "pods");
export const widgets = rule(group, "v1", "widgets");

/** A policy of some expressions. */
export function checks(
  name: string,
  rules: object | readonly object[],
  ...expressions: readonly string[]
): PolicyCase {
  const validations = expressions.map((expression) => ({ expression }));
  return policy(name, rules, { validations });
}

export function policy(name: string, rules: object | readonly object[], spec: object): PolicyCase {
  const resourceRules = Array.isArray(rules) ? rules : [rules];
  return { name, spec: { matchConstraints: { resourceRules }, ...spec } };
}

/** A policy of one expression, and a declaration that it uses. */
export const using = (name: string, rules: object, expression: string, spec: object): PolicyCase =>
  policy(name, rules, { validations: [{ expression }], ...spec });
