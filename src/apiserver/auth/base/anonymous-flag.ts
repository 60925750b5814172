import { logger } from "#/std/log/log.ts";
import type { ApiServerFlags } from "../../flags/index.ts";

const log = logger("authentication");

type Flags = Pick<ApiServerFlags, "anonymous-auth" | "authorization-mode" | "authorization-config">;

/**
 * Whether the flags allow requests without credentials. Never with the authorizer AlwaysAllow, which is the default: it
 * would allow them everything.
 *
 * Upstream: pkg/kubeapiserver/options/authentication.go (ApplyAuthorization).
 */
export function allowsAnonymous(flags: Flags): boolean {
  const allowed = flags["anonymous-auth"] ?? true;
  const modes = flags["authorization-mode"] ?? [];
  const isOpen =
    modes.length === 0 ? !flags["authorization-config"] : modes.includes("AlwaysAllow");
  if (allowed && isOpen) {
    log.warning(
      "AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You should use a different authorizer",
    );
    return false;
  }
  return allowed;
}
