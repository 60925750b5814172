import type { Cause } from "../../base/cause.ts";
import { logApiForbidden } from "./api-forbidden.ts";
import { logArchitecture } from "./architecture.ts";
import { logCertificate } from "./certificate.ts";
import { logConfiguration } from "./configuration.ts";
import { logConnection } from "./connection.ts";
import { logCredentials } from "./credentials.ts";
import { logDiskFull } from "./disk-full.ts";
import { logMemory } from "./memory.ts";
import { logMissingFile } from "./missing-file.ts";
import { logName } from "./name.ts";
import { logPermission } from "./permission.ts";
import { logPortInUse } from "./port-in-use.ts";
import { logReadOnly } from "./read-only.ts";

/** What the last lines of a crashing container's log suggest, the specific before the general. */
export const logCauses: readonly Cause[] = [
  logArchitecture,
  logApiForbidden,
  logReadOnly,
  logDiskFull,
  logMemory,
  logPortInUse,
  logCertificate,
  logCredentials,
  logName,
  logConnection,
  logPermission,
  logMissingFile,
  logConfiguration,
];
