import { describe, expect, test } from 'vitest'
import { redactDeep, secretsOf } from '../../../src/runner/log/secrets.ts'

const VALUE = 'hunter2-correct/horse'

describe('rule.noSecrets: which variables hold a secret', () => {
  test.each([
    ...['API_KEY', 'KEYRING', 'GITHUB_TOKEN', 'CLIENT_SECRET', 'PASS', 'DB_PASS', 'DB_PASS_1', 'DB_PASSWORD'],
    ...[
      'DB_PASSWD',
      'GPG_PASSPHRASE',
      'GOOGLE_CREDENTIALS',
      'AUTH',
      'AUTHORIZATION',
      'AUTHORITY',
      'COOKIE_JAR',
    ],
    ...['PRIVATE_THING', 'DB_PWD', 'SENTRY_DSN', 'api_key', 'Some_Token', 'TOKEN_FILENAME', 'SECRET_PATHS'],
  ])('%s', name => {
    expect(secretsOf({ [name]: VALUE }).redact(`a ${VALUE} b ${VALUE}`)).toBe(
      `a [redacted ${name}] b [redacted ${name}]`,
    )
  })

  test.each([
    ...['HOME', 'AUTHOR', 'AUTHORS', 'GIT_AUTHOR_NAME', 'PASSAGE', 'PWD', 'OLDPWD', 'DSN_NAME', 'EDITOR'],
    ...['SSH_AUTH_SOCK', 'TOKEN_FILE', 'KEY_PATH', 'KEY_DIR', 'AUTH_FD', 'AUTH_AGENT_PID'],
  ])('not %s', name => {
    expect(secretsOf({ [name]: VALUE }).redact(VALUE)).toBe(VALUE)
  })

  test.each([
    ['postgres://me:pa55-word@db.example/x', 'pa55-word'],
    ['https://:pa55-word@h.example', 'pa55-word'],
    ['GIT+SSH://me:pa55-word@h.example', 'pa55-word'],
  ])('the password in the address %s', (address, password) => {
    const secrets = secretsOf({ SERVICE: address })
    expect(secrets.redact(`it is ${password}`)).toBe('it is [redacted SERVICE]')
    expect(secrets.redact(address)).not.toContain(password)
  })

  test.each([
    'https://h.example/a:pa55-word@b',
    'https://h.example/?a:pa55-word@b',
    'see https://me:pa55-word@h.example',
    'https://me@h.example:pa55-word',
  ])('there is none in %s', address => {
    expect(secretsOf({ SERVICE: address }).redact('pa55-word')).toBe('pa55-word')
  })

  test('what the settings give is secret whatever it is named', () => {
    expect(secretsOf({}, { PLAIN: VALUE }).redact(VALUE)).toBe('[redacted PLAIN]')
  })
})

describe('rule.noSecrets: which values, and in which forms', () => {
  test.each([
    ['1234567', '1234567'],
    ['12345678', '12345678'],
    ['true', 'true'],
    ['seven77', 'seven77'],
    ['eight888', '[redacted A_KEY]'],
    ['12345678a', '[redacted A_KEY]'],
  ])('%s', (value, told) => {
    expect(secretsOf({ A_KEY: value }).redact(value)).toBe(told)
  })

  const odd = ' say "hi" to\n~~~ü?>> '
  test.each([
    ['as it is', odd],
    ['trimmed', odd.trim()],
    ['as JSON', JSON.stringify(odd).slice(1, -1)],
    ['in an address', encodeURIComponent(odd)],
    ['as base64', Buffer.from(odd).toString('base64')],
    ['as base64 without its end', Buffer.from(odd).toString('base64').replace(/=+$/, '')],
    ['as base64 of addresses', Buffer.from(odd).toString('base64url')],
  ])('%s', (_, form) => {
    const secrets = secretsOf({ A_KEY: odd })
    expect(secrets.redact(`(${form})`).replace(/\s/g, '')).toBe('([redactedA_KEY])')
    expect(secrets.nameIn(`(${form})`)).toBe('A_KEY')
  })

  test('what is short once its blanks are gone is not looked for without them', () => {
    const secrets = secretsOf({ A_KEY: '  seven77\n', B_KEY: 'x         ' })
    expect(secrets.redact('seven77 and x')).toBe('seven77 and x')
    expect(secrets.redact('(  seven77\n)')).toBe('([redacted A_KEY])')
    expect(secrets.nameIn('seven77 and x')).toBeNull()
  })

  test('a lone surrogate is no crash', () => {
    expect(secretsOf({ A_KEY: `${VALUE}\ud800` }).redact(`${VALUE}\ud800`)).toBe('[redacted A_KEY]')
  })

  test('of two the longer goes first, so that no end of it is left', () => {
    const secrets = secretsOf({ A_KEY: 'abcdefgh', B_KEY: 'abcdefgh-and-more', C_KEY: 'xabcdefghx' })
    expect(secrets.redact('abcdefgh-and-more abcdefgh xabcdefghx')).toBe(
      '[redacted B_KEY] [redacted A_KEY] [redacted C_KEY]',
    )
    expect(secrets.nameIn('abcdefgh-and-more')).toBe('B_KEY')
    expect(secrets.nameIn('nothing')).toBeNull()
  })

  test('at every depth of a value, names too, and nothing else changes', () => {
    const secrets = secretsOf({ A_KEY: VALUE })
    const value = { [VALUE]: [1, null, true, VALUE, { a: `x${VALUE}` }], b: undefined }
    expect(redactDeep(value, secrets)).toEqual({
      '[redacted A_KEY]': [1, null, true, '[redacted A_KEY]', { a: 'x[redacted A_KEY]' }],
      b: undefined,
    })
  })
})
