import type { Container, HTTPGetAction, ObjectFieldSelector, Probe } from "#/api/core/v1.ts";
import { imageTag } from "./image-tag.ts";
import { roundResourceList } from "./resource-list-defaults.ts";

/** The fields with defaults that containers of all kinds have. */
type AnyContainer = Omit<Container, "name">;

/**
 * Sets the defaults of a container.
 *
 * Upstream: pkg/apis/core/v1/defaults.go, zz_generated.defaults.go.
 */
export function setContainerDefaults(container: AnyContainer): void {
  container.imagePullPolicy ||= pullPolicyFor(container.image ?? "");
  container.terminationMessagePath ||= "/dev/termination-log";
  container.terminationMessagePolicy ||= "File";
  for (const port of container.ports ?? []) port.protocol ||= "TCP";
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef) setFieldSelectorDefaults(valueFrom.fieldRef);
    if (valueFrom?.fileKeyRef) valueFrom.fileKeyRef.optional ??= false;
  }
  roundResourceList(container.resources?.limits);
  roundResourceList(container.resources?.requests);
  setProbeDefaults(container.livenessProbe);
  setProbeDefaults(container.readinessProbe);
  setProbeDefaults(container.startupProbe);
  setHttpGetDefaults(container.lifecycle?.postStart?.httpGet);
  setHttpGetDefaults(container.lifecycle?.preStop?.httpGet);
}

/** An image with the tag latest, or without a tag, is always pulled. */
export function pullPolicyFor(image: string): "Always" | "IfNotPresent" {
  return imageTag(image) === "latest" ? "Always" : "IfNotPresent";
}

/** The default apiVersion of a field reference is v1. */
export function setFieldSelectorDefaults(selector: ObjectFieldSelector): void {
  selector.apiVersion ||= "v1";
}

function setProbeDefaults(probe: Probe | undefined): void {
  if (probe === undefined) return;
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  setHttpGetDefaults(probe.httpGet);
  if (probe.grpc) probe.grpc.service ??= "";
}

function setHttpGetDefaults(action: HTTPGetAction | undefined): void {
  if (action === undefined) return;
  action.path ||= "/";
  action.scheme ||= "HTTP";
}
