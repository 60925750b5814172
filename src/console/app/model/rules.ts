/** A rule of a SelfSubjectRulesReview. */
interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** What the user may do in a namespace. */
export interface Rules {
  readonly rules: readonly Rule[];
  /** The server could not list everything: what is not listed may still be permitted. */
  readonly isIncomplete: boolean;
}

/** What is asked for. */
export interface Wish {
  readonly verb: string;
  readonly group: string;
  /** The plural, with "/subresource" if there is one. */
  readonly resource: string;
  /** The object; undefined for any. */
  readonly name?: string;
}

/** Whether the rules permit it, as far as is known. */
export function permits(
  { rules, isIncomplete }: Rules,
  { verb, group, resource, name }: Wish,
): boolean {
  const has = (list: readonly string[] | undefined, wanted: string): boolean =>
    list?.some((entry) => entry === "*" || entry === wanted) ?? false;
  const [, subresource] = resource.split("/");
  return (
    isIncomplete ||
    rules.some(
      (rule) =>
        has(rule.verbs, verb) &&
        has(rule.apiGroups, group) &&
        (has(rule.resources, resource) ||
          (subresource !== undefined && has(rule.resources, `*/${subresource}`))) &&
        ((rule.resourceNames ?? []).length === 0 ||
          (name !== undefined && has(rule.resourceNames, name))),
    )
  );
}
