import type { DeviceRequest as DeviceRequestV1, Device as DeviceV1 } from "#/api/resource/v1.ts";
import type { BasicDevice, DeviceRequest } from "#/api/resource/v1beta1.ts";

/**
 * v1beta1 has the details of a request beside its name, and those of a device in `basic`.
 *
 * Upstream: pkg/apis/resource/v1beta1/conversion.go.
 */

interface Claim {
  readonly devices?: { requests?: unknown[] };
}

/** Moves the details of requests into `exactly`, in place. */
export function gatherRequests({ devices }: Claim): void {
  if (!devices?.requests) return;
  devices.requests = (devices.requests as DeviceRequest[]).map(
    ({ name, firstAvailable, ...details }): DeviceRequestV1 => ({
      name,
      ...(Object.values(details).some((value) => value !== undefined && value !== "")
        ? { exactly: details }
        : {}),
      ...(firstAvailable ? { firstAvailable } : {}),
    }),
  );
}

/** Moves the details of requests beside their names, in place. */
export function spreadRequests({ devices }: Claim): void {
  if (!devices?.requests) return;
  devices.requests = (devices.requests as DeviceRequestV1[]).map(
    ({ name, exactly, firstAvailable }) => ({
      name,
      ...exactly,
      ...(firstAvailable ? { firstAvailable } : {}),
    }),
  );
}

interface Slice {
  devices?: unknown[];
}

/** Moves the fields of devices out of `basic`, in place. */
export function unwrapDevices(spec: Slice): void {
  if (!spec.devices) return;
  spec.devices = (spec.devices as { name: string; basic?: BasicDevice }[]).map(
    ({ name, basic }): DeviceV1 => ({ name, ...basic }) as DeviceV1,
  );
}

/** Moves the fields of devices into `basic`, in place. */
export function wrapDevices(spec: Slice): void {
  if (!spec.devices) return;
  spec.devices = (spec.devices as DeviceV1[]).map(({ name, ...basic }) => ({ name, basic }));
}

const betaVersion = "resource.k8s.io/v1beta1";

/** Names of the fields of a claim's requests in a version. */
export const requestFieldsOf =
  (apiVersion: string | undefined) =>
  (field: string): string =>
    apiVersion === betaVersion ? field.replace(/(requests\[\d+\])\.exactly\./, "$1.") : field;

/** Names of the fields of a slice's devices in a version. */
export const deviceFieldsOf =
  (apiVersion: string | undefined) =>
  (field: string): string =>
    apiVersion === betaVersion ? field.replace(/^(spec\.devices\[\d+\])\./, "$1.basic.") : field;
