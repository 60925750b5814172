/** Upstream: staging/src/k8s.io/controller-manager/app/helper.go (IsControllerEnabled). */

/** A controller as --controllers names it. */
export interface NamedController {
  readonly name: string;
  readonly alias?: string;
  readonly isOffByDefault?: boolean;
}

export const isKnownName = (known: readonly NamedController[], name: string): boolean =>
  known.some((one) => one.name === name || one.alias === name);

/** The names of the controllers that --controllers selects. */
export function selectNames(
  known: readonly NamedController[],
  wishes: readonly string[],
): ReadonlySet<string> {
  const isWished = (prefix: string, { name, alias }: NamedController): boolean =>
    wishes.some((wish) => wish === prefix + name || wish === prefix + alias);
  const chosen = known.filter((one) => {
    if (isWished("", one)) return true;
    if (isWished("-", one)) return false;
    return wishes.includes("*") && !one.isOffByDefault;
  });
  return new Set(chosen.map(({ name }) => name));
}
