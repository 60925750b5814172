/** The label of the bindings of users that k8ts has added; its value is the start of the user's name. */
export const userLabel = "k8ts.dev/user";
/** The user's whole name: it may have characters that a label has not. */
const userAnnotation = "k8ts.dev/user-name";

interface UserRights {
  readonly user: string;
  /** A ClusterRole. */
  readonly role: string;
  /** Empty for the whole cluster. */
  readonly namespace: string;
}

/** The object that gives a user the rights of a role. */
export function userBinding({ user, role, namespace }: UserRights): object {
  const rbac = "rbac.authorization.k8s.io";
  return {
    apiVersion: `${rbac}/v1`,
    kind: namespace === "" ? "ClusterRoleBinding" : "RoleBinding",
    metadata: {
      name: bindingName(user, role),
      ...(namespace !== "" && { namespace }),
      labels: { [userLabel]: labelValue(user) },
      annotations: { [userAnnotation]: user },
    },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: rbac, kind: "User", name: user }],
  };
}

/** A binding as `kubectl get -o json` prints it. */
interface FoundBinding {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly roleRef: { readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

/**
 * The users of a list of bindings, with what each may do. Others than k8ts may have labelled theirs as well, with any name and
 * user: only those that k8ts would make count.
 */
export function usersOf(list: { readonly items: readonly FoundBinding[] }) {
  return list.items.filter(isOwn).map(({ kind, metadata, roleRef }) => ({
    user: metadata.annotations?.[userAnnotation] ?? "",
    role: roleRef.name,
    namespace: metadata.namespace ?? "",
    resource: kind.toLowerCase(),
    binding: metadata.name,
  }));
}

function isOwn({ metadata, roleRef, subjects = [] }: FoundBinding): boolean {
  const user = metadata.annotations?.[userAnnotation] ?? "";
  const [subject, ...others] = subjects;
  return (
    metadata.name === bindingName(user, roleRef.name) &&
    subject?.kind === "User" &&
    subject.name === user &&
    others.length === 0
  );
}

const bindingName = (user: string, role: string): string =>
  `k8ts-user:${user.replace(/[/%]/g, "-")}:${role}`;

/** Characters that a label's value may have, of at most 63. */
export const labelValue = (user: string): string =>
  user
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, 63)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
