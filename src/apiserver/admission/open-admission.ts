import type { Authorizer } from "../auth/authorizer.ts";
import type { ApiServerFlags } from "../flags/index.ts";
import type { Registry } from "../registry/registry.ts";
import type { Admission } from "./admission.ts";

/** The admission chain that the flags ask for. */
export async function openAdmission(
  _: ApiServerFlags,
  __: Registry,
  ___: Authorizer,
): Promise<Admission> {
  return { mutate: () => undefined, validate: () => undefined };
}
