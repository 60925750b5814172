/** Upstream: sigs.k8s.io/kustomize/api/types/var.go. */
import { parseApiVersion } from "#/machinery/meta/api-version.ts";
import type { Var } from "../kustomization/kustomization.ts";
import { gvkText } from "../resource/resource-id.ts";

/** A var whose group and version are taken from its API version. */
export function withGvk(given: Var): Var {
  const { apiVersion = "", ...objref } = given.objref ?? {};
  if (apiVersion === "") return given;
  const { group, version } = parseApiVersion(apiVersion);
  const gvk = apiVersion.includes("/") ? { group, version } : { version };
  return { ...given, objref: { apiVersion, ...objref, ...gvk } };
}

/** A var as messages print it. */
export function varText({ name = "", objref = {}, fieldref = {} }: Var): string {
  const { group = "", version = "", kind = "" } = objref;
  return `{${name} ${gvkText({ group, version, kind })} {${fieldref.fieldPath ?? ""}}}`;
}
