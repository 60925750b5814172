import type {
  Container,
  GRPCAction,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  ProbeHandler,
} from "#/api/core/v1.ts";
import { JsonValue } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isHTTPHeaderName, isPortName, isPortNumber } from "#/machinery/meta/text-rules.ts";
import type { FieldReport } from "../../rules/field-report.ts";
import type { ValidationScope } from "./base/validation-scope.ts";
import { linuxSignals, windowsSignals } from "./stop-signals.ts";

/** Upstream: pkg/apis/core/validation/validation.go. */

/** Checks the lifecycle hooks and probes of a container that may have them. */
export function validateHooksAndProbes(
  container: Container,
  path: FieldPath,
  scope: ValidationScope,
): void {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  if (lifecycle) validateLifecycle(lifecycle, path.child("lifecycle"), scope);
  if (livenessProbe) validateRestartProbe(livenessProbe, path.child("livenessProbe"), scope);
  if (readinessProbe) {
    const at = path.child("readinessProbe");
    validateProbe(readinessProbe, at, scope);
    const { terminationGracePeriodSeconds: seconds } = readinessProbe;
    if (seconds !== undefined) {
      const detail = "must not be set for readinessProbes";
      scope.report.invalid(at, "terminationGracePeriodSeconds", seconds, detail);
    }
  }
  if (startupProbe) validateRestartProbe(startupProbe, path.child("startupProbe"), scope);
}

/** A liveness or startup probe must have a success threshold of 1. */
function validateRestartProbe(probe: Probe, path: FieldPath, scope: ValidationScope): void {
  validateProbe(probe, path, scope);
  const { successThreshold = 0 } = probe;
  if (successThreshold !== 1) {
    scope.report.invalid(path, "successThreshold", successThreshold, "must be 1");
  }
}

function validateProbe(probe: Probe, path: FieldPath, scope: ValidationScope): void {
  const { report } = scope;
  validateHandler(probe, path, scope);
  report.nonNegative(path, "initialDelaySeconds", probe.initialDelaySeconds);
  report.nonNegative(path, "timeoutSeconds", probe.timeoutSeconds);
  report.nonNegative(path, "periodSeconds", probe.periodSeconds);
  report.nonNegative(path, "successThreshold", probe.successThreshold);
  report.nonNegative(path, "failureThreshold", probe.failureThreshold);
  const { terminationGracePeriodSeconds: seconds } = probe;
  if (seconds !== undefined && seconds <= 0) {
    report.invalid(path, "terminationGracePeriodSeconds", seconds, "must be greater than 0");
  }
}

function validateLifecycle(lifecycle: Lifecycle, path: FieldPath, scope: ValidationScope): void {
  const { postStart, preStop, stopSignal } = lifecycle;
  if (postStart) validateHandler(postStart, path.child("postStart"), scope);
  if (preStop) validateHandler(preStop, path.child("preStop"), scope);
  if (stopSignal !== undefined) validateStopSignal(stopSignal, path, scope);
}

function validateStopSignal(
  signal: string,
  path: FieldPath,
  { report, os }: ValidationScope,
): void {
  if (os === undefined) {
    const detail = "may not be set for containers with empty `spec.os.name`";
    report.forbidden(path, "stopSignal", detail);
    return;
  }
  const allowed = os.name === "windows" ? windowsSignals : linuxSignals;
  if (os.name !== "windows" && os.name !== "linux") return;
  if (!allowed.includes(signal)) report.notSupported(path, "stopSignal", signal, allowed);
}

type Handler = ProbeHandler & LifecycleHandler;

/** Checks that a handler has exactly one action. */
function validateHandler(handler: Handler, path: FieldPath, scope: ValidationScope): void {
  const { report } = scope;
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  let count = 0;
  const only = (field: string, given: unknown, validate: () => void): void => {
    if (given === undefined) return;
    if (count++ === 0) validate();
    else report.forbidden(path, field, "may not specify more than 1 handler type");
  };
  only("exec", exec, () => {
    if (!exec?.command?.length) report.required(path.child("exec"), "command");
  });
  only(
    "httpGet",
    httpGet,
    () => httpGet && validateHttpGet(report, path.child("httpGet"), httpGet),
  );
  only("tcpSocket", tcpSocket, () => {
    if (tcpSocket) validatePort(report, path.child("tcpSocket"), tcpSocket.port);
  });
  only("grpc", grpc, () => grpc && validateGrpc(report, path.child("grpc"), grpc));
  only("sleep", sleep, () => sleep && validateSleep(sleep.seconds, path, scope));
  if (count === 0) report.required(path, "", "must specify a handler type");
}

function validateSleep(
  seconds: number,
  path: FieldPath,
  { report, gracePeriodSeconds: grace }: ValidationScope,
): void {
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return;
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
  report.invalid(path, "sleep", seconds, detail);
}

const schemes = ["HTTP", "HTTPS"];
const protocols = ["HTTP1", "HTTP2"];
const grpcModes = ["Plaintext", "TLS"];

function validateHttpGet(report: FieldReport, path: FieldPath, action: HTTPGetAction): void {
  const { path: location, port, scheme = "", httpHeaders = [], protocol } = action;
  if (!location) report.required(path, "path");
  validatePort(report, path, port);
  if (!schemes.includes(scheme)) report.notSupported(path, "scheme", scheme, schemes);
  for (const { name } of httpHeaders) {
    report.problems(path, "httpHeaders", name, isHTTPHeaderName(name));
  }
  if (protocol === undefined) return;
  if (!protocols.includes(protocol)) {
    report.notSupported(path, "protocol", protocol, protocols);
  } else if (protocol === "HTTP2" && scheme !== "HTTP") {
    const detail = "is only supported with HTTP (H2C)";
    report.invalid(path, "protocol", new JsonValue(protocol), detail);
  } else if (protocol === "HTTP2" && action.host) {
    report.invalid(path, "host", action.host, 'must be empty when `protocol` is "HTTP2"');
  }
}

function validateGrpc(report: FieldReport, path: FieldPath, { port, mode }: GRPCAction): void {
  validatePort(report, path, port);
  if (mode !== undefined && !grpcModes.includes(mode)) {
    report.notSupported(path, "mode", mode, grpcModes);
  }
}

/** Checks a port: a number, or the name of a port of the container. */
function validatePort(report: FieldReport, path: FieldPath, port: number | string): void {
  const problems = typeof port === "number" ? isPortNumber(port) : isPortName(port);
  report.problems(path, "port", port, problems);
}
