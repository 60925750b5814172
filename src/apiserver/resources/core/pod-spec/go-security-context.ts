import type { SecurityContext } from "#/api/core/v1.ts";

/** A security context as upstream's internal type is shown in messages: all fields, by their names in Go. */
export function securityContextInGo(context: SecurityContext): object {
  const { capabilities, seLinuxOptions, windowsOptions, seccompProfile, appArmorProfile } = context;
  return {
    Capabilities: capabilities
      ? { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null }
      : null,
    Privileged: context.privileged ?? null,
    SELinuxOptions: seLinuxOptions
      ? {
          User: seLinuxOptions.user ?? "",
          Role: seLinuxOptions.role ?? "",
          Type: seLinuxOptions.type ?? "",
          Level: seLinuxOptions.level ?? "",
        }
      : null,
    WindowsOptions: windowsOptions
      ? {
          GMSACredentialSpecName: windowsOptions.gmsaCredentialSpecName ?? null,
          GMSACredentialSpec: windowsOptions.gmsaCredentialSpec ?? null,
          RunAsUserName: windowsOptions.runAsUserName ?? null,
          HostProcess: windowsOptions.hostProcess ?? null,
        }
      : null,
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: profileInGo(seccompProfile),
    AppArmorProfile: profileInGo(appArmorProfile),
  };
}

function profileInGo(
  profile: { type: string; localhostProfile?: string } | undefined,
): object | null {
  if (profile === undefined) return null;
  return { Type: profile.type, LocalhostProfile: profile.localhostProfile ?? null };
}
