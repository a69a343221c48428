// Secrets that are known by how they begin: the one list for every room.

/** Kinds of characters, to be joined by `|`. */
export const kinds = {
  digit: 1,
  upper: 2,
  lower: 4,
  underscore: 8,
  dash: 16,
  dot: 32,
  slash: 64,
  /** `+`, `=` and `~`, which occur in tokens and in base64. */
  sign: 128,
} as const;

const letters = kinds.upper | kinds.lower;
const alphanumeric = letters | kinds.digit;
export const base64url: number = alphanumeric | kinds.underscore | kinds.dash;
const dotted = base64url | kinds.dot;
/** What the value of `Authorization: Bearer` may consist of. */
const tokenCharacters = dotted | kinds.slash | kinds.sign;

export interface Shape {
  /** It stands where no word goes on, unless it begins with a sign. */
  readonly prefix: string;
  /** Kinds of the characters that follow. */
  readonly body: number;
  readonly least: number;
  /** So many at most, and then the word ends. */
  readonly most?: number;
  /** The prefix is no part of the secret: it is shown whole. */
  readonly named?: true;
}

function family(prefixes: string, body: number, least: number, more: Pick<Shape, 'most' | 'named'> = {}): Shape[] {
  return prefixes.split(' ').map((prefix) => ({ prefix, body, least, ...more }));
}

export const shapes: readonly Shape[] = [
  // OpenAI, Anthropic, OpenRouter and others; Stripe.
  ...family('sk- pk- rk- sk_', base64url, 16),
  ...family('pk_live_ pk_test_ rk_live_ rk_test_ whsec_', base64url, 16),
  // GitHub
  ...family('ghp_ gho_ ghu_ ghr_ github_pat_', alphanumeric | kinds.underscore, 20),
  ...family('ghs_', dotted, 20),
  // GitLab
  ...family('glpat- glptt- gldt- glrt- glcbt- glsoat- glagent- glft- glimt-', dotted, 16),
  // Slack, and addresses that anybody can post to
  ...family('xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-', base64url, 10),
  ...family('hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/', base64url | kinds.slash, 16, { named: true }),
  ...family('discord.com/api/webhooks/ discordapp.com/api/webhooks/', base64url | kinds.slash, 16, { named: true }),
  ...family('webhook.office.com/webhookb2/', base64url | kinds.slash, 16, { named: true }),
  // Amazon
  ...family('AKIA ASIA', kinds.upper | kinds.digit, 16, { most: 16 }),
  // Google
  ...family('AIza', base64url, 35),
  ...family('GOCSPX-', base64url, 20),
  ...family('ya29.', dotted, 20),
  // Registries of packages
  ...family('npm_ rubygems_', alphanumeric, 36),
  ...family('pypi-AgE', base64url, 32),
  // Models and data
  ...family('hf_ r8_ gsk_ pplx- xai-', alphanumeric, 30),
  ...family('dapi', kinds.lower | kinds.digit, 32),
  ...family('sbp_ sb_secret_ lin_api_ ntn_ figd_ pscale_tkn_ pscale_pw_', base64url, 20),
  // Infrastructure
  ...family('dop_v1_ doo_v1_ dor_v1_', alphanumeric, 32),
  ...family('hvs. hvb. hvr.', base64url, 20),
  ...family('dp.pt. dp.st. dp.sa. dp.ct.', dotted, 32),
  ...family('tskey-', base64url, 16),
  ...family('glsa_ glc_ sntrys_ sntryu_', base64url | kinds.sign, 32),
  ...family('PMAK- NRAK- AGE-SECRET-KEY-1', base64url, 20),
  ...family('ATATT3 ATBB', base64url | kinds.sign, 24),
  // Shops and mail
  ...family('shpat_ shpca_ shppa_ shpss_', alphanumeric, 32),
  ...family('SG.', dotted, 48),
  // As they travel
  { prefix: 'Bearer ', body: tokenCharacters, least: 8, named: true },
  { prefix: 'Basic ', body: alphanumeric | kinds.slash | kinds.sign, least: 8, named: true },
];
