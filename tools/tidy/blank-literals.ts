/** Tokens that change the meaning of the text after them. A template is entered at its backtick. */
const token = new RegExp(
  [
    /\/\/[^\n]*|\/\*[\s\S]*?\*\//, // comment
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/, // string
    /[`{}]/,
    /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//, // regular expression, or division
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** The rest of a template up to its end or its next expression. */
const templatePart = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*(?:`|\$\{|$)/y;

/** A slash after one of these begins a regular expression, after anything else it divides. */
const beforeRegExp = /(?:^|[=(,:[!&|?{};+<>~%^*-]|\b(?:return|typeof|case|of|in|await|yield))\s*$/;

/**
 * The code of a TypeScript file alone: comments, and the insides of strings, templates and regular
 * expressions, become spaces. Every other character stays where it is. The function is called for each text in a template.
 */
export function blankLiterals(
  text: string,
  onTemplate: (part: string, index: number) => void = () => undefined,
): string {
  let code = "";
  let position = 0;
  /** For each template we are in the expression of: how many braces are open in that expression. */
  const braces: number[] = [];

  const keepUpTo = (end: number): void => {
    code += text.slice(position, end);
    position = end;
  };
  const blankUpTo = (end: number): void => {
    code += text.slice(position, end).replace(/[^\n]/g, " ");
    position = end;
  };
  const enterTemplate = (): void => {
    templatePart.lastIndex = position;
    const part = templatePart.exec(text)?.[0] ?? "";
    onTemplate(part, position);
    if (part.endsWith("${")) braces.push(0);
    const delimiter = part.endsWith("${") ? 2 : part.endsWith("`") ? 1 : 0;
    blankUpTo(position + part.length - delimiter);
    keepUpTo(position + delimiter);
  };
  const brace = (step: 1 | -1): void => {
    const depth = braces.at(-1);
    if (depth === undefined) return;
    braces.pop();
    if (step === -1 && depth === 0) enterTemplate();
    else braces.push(depth + step);
  };

  for (let match = nextToken(text, 0); match; match = nextToken(text, position)) {
    const found = match[0];
    keepUpTo(match.index);
    if (found.startsWith("//") || found.startsWith("/*")) {
      blankUpTo(position + found.length);
    } else if (found.startsWith("/") && !beforeRegExp.test(code.slice(-40))) {
      keepUpTo(position + 1);
    } else if (found.length > 1) {
      keepUpTo(position + 1);
      blankUpTo(match.index + found.length - 1);
      keepUpTo(position + 1);
    } else {
      keepUpTo(position + 1);
      if (found === "`") enterTemplate();
      else brace(found === "{" ? 1 : -1);
    }
  }
  keepUpTo(text.length);
  return code;
}

function nextToken(text: string, from: number): RegExpExecArray | null {
  token.lastIndex = from;
  return token.exec(text);
}
