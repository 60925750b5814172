/** The facts of a machine that restrict containers. */
export interface Restrictions {
  /** Whether processes may be protected from the kernel's out-of-memory killer: needs CAP_SYS_RESOURCE. */
  readonly mayProtect: boolean;
  /** Whether the hugetlb controller of cgroups is mounted. */
  readonly hasHugetlb: boolean;
}

/** Whether a machine needs restrictedRuntime(). */
export const isRestricted = ({ mayProtect, hasHugetlb }: Restrictions): boolean =>
  !mayProtect || !hasHugetlb;

/**
 * A program in the place of runc, for machines that restrict containers. Containers that ask for more protection from the
 * out-of-memory killer than this process has get as much as it has; limits of huge pages are left out where there is no
 * controller. containerd has options for both; CRI-O and Docker do not.
 */
export function restrictedRuntime(
  program: string,
  { mayProtect, hasHugetlb }: Restrictions,
): string {
  const limits = String.raw`"hugepageLimits": *\[[^]]*\] *`;
  const edits = [
    mayProtect ? "" : `s/"oomScoreAdj": *-[0-9]+/"oomScoreAdj":'"$own"'/`,
    hasHugetlb ? "" : `s/${limits}, *//; s/(, *)?${limits}//`,
  ];
  return `#!/bin/sh
next=
for word do
  case $next$word in
  bundle=*) bundle=\${word} ;;
  --bundle=*) bundle=\${word#--bundle=} ;;
  esac
  case $word in --bundle | -b) next=bundle= ;; *) next= ;; esac
done
if [ -n "\${bundle-}" ] && [ -f "$bundle/config.json" ]; then
  own=$(cat /proc/self/oom_score_adj)
  config=$(tr '\\n\\t' '  ' <"$bundle/config.json" |
    sed -E '${edits.filter((edit) => edit !== "").join("; ")}')
  printf '%s' "$config" >"$bundle/config.json"
fi
exec '${program}' "$@"
`;
}
