import type { Cause } from "../../base/cause.ts";
import { noAddresses } from "./no-addresses.ts";
import { networkNotReady } from "./not-ready.ts";
import { pauseImage } from "./pause-image.ts";
import { cniPluginMissing } from "./plugin-missing.ts";
import { runtimeClassMissing } from "./runtime-class-missing.ts";
import { runtimeHandler } from "./runtime-handler.ts";
import { sandboxFailed } from "./sandbox-failed.ts";
import { sandboxMemory } from "./sandbox-memory.ts";
import { sandboxSysctl } from "./sandbox-sysctl.ts";
import { userNamespace } from "./user-namespace.ts";

/** Of a group the first that applies counts. */
export const networkCauses: readonly Cause[] = [
  noAddresses,
  cniPluginMissing,
  networkNotReady,
  runtimeClassMissing,
  runtimeHandler,
  pauseImage,
  userNamespace,
  sandboxSysctl,
  sandboxMemory,
  sandboxFailed,
];
