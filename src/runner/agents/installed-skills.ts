import { hash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import * as z from 'zod'
import { readJson } from '../../files/read-json.ts'
import { readText } from '../../files/read-text.ts'
import { Problem } from '../../problem/problem.ts'
import { parseSkillReference, type SkillReference } from '../spec/skill-reference.ts'

/** A skill as it is installed. */
export interface InstalledSkill {
  reference: string
  path: string
  folder: string
  text: string
  sha256: string
}

const LARGEST_SKILL = 1_048_576
const LARGEST_LIST = 16 * 1_048_576

/** What is read of the host's files; other fields are the host's own. */
const installedSchema = z.object({
  installPath: z.string(),
  version: z.string().default('unknown'),
  projectPath: z.string().optional(),
})
const listSchema = z.object({ plugins: z.record(z.string(), z.array(installedSchema)) })
const manifestSchema = z.object({ skills: z.union([z.string(), z.array(z.string())]).default([]) })

type Installed = z.infer<typeof installedSchema>

/**
 * The skill of a reference in the plugins that the host has installed, at exactly that version.
 *
 * @throws Problem `check` where it is not there: nothing else is searched, no other version taken (spec,
 * skill-reference contract)
 */
export function findSkill(reference: string, host: string, project: string): InstalledSkill {
  const parts = parseSkillReference(reference)
  if (!parts) throw new Problem('check', `no skill reference: ${reference}`)
  const packages = installedPackages(host).filter(one => one.name === parts.package)
  const here = packages.filter(one => isOf(one, project))
  const fitting = here.filter(one => one.version === parts.version)
  if (fitting.length === 0) throw notInstalled(reference, parts, here, host)
  const found = fitting.flatMap(one => skillFiles(one.installPath, parts.skill))
  const texts = new Map(found.map(path => [skillText(reference, path), path]))
  if (texts.size === 0) {
    throw new Problem('check', `${reference}: the package is installed and has no skill "${parts.skill}"`, {
      path: (fitting[0] as Installed).installPath,
      hint: 'nothing was run; no other package is searched',
    })
  }
  if (texts.size > 1) {
    throw new Problem('check', `${reference} means different skills: ${[...texts.values()].join(', ')}`, {
      hint: 'two marketplaces have a package of this name; uninstall one',
    })
  }
  const [[text, path]] = [...texts] as [[string, string]]
  return { reference, path, folder: resolve(path, '..'), text, sha256: hash('sha256', text) }
}

function notInstalled(reference: string, parts: SkillReference, here: Installed[], host: string): Problem {
  const versions = here.map(one => one.version).join(', ')
  const what =
    versions === '' ? `the package "${parts.package}" is not installed` : `installed is version ${versions}`
  return new Problem('check', `${reference} is not there: ${what}`, {
    path: join(host, 'plugins', 'installed_plugins.json'),
    hint: 'install that version, or change the chain; no other version is taken in its place',
  })
}

function isOf(one: Installed, project: string): boolean {
  return one.projectPath === undefined || resolve(one.projectPath) === resolve(project)
}

function skillText(reference: string, path: string): string {
  const read = readText(path, { largest: LARGEST_SKILL })
  if ('text' in read) return read.text
  throw new Problem('check', `${reference}: its file ${read.why}`, {
    path,
    hint: 'nothing was run; install the package anew',
  })
}

/** The host's list of installed plugins; a plugin's key is `<name>@<marketplace>`. */
function installedPackages(host: string): (Installed & { name: string })[] {
  const path = join(host, 'plugins', 'installed_plugins.json')
  const read = readJson(path, { largest: LARGEST_LIST })
  if ('unread' in read && read.unread === 'missing') return []
  const checked = 'value' in read ? listSchema.safeParse(read.value) : null
  if (checked?.success) {
    return Object.entries(checked.data.plugins).flatMap(([key, all]) =>
      all.map(one => ({ ...one, name: key.replace(/@[^@]*$/, '') })),
    )
  }
  const why = 'why' in read ? read.why : 'has another form than this program knows'
  throw new Problem('failed', `the host's list of plugins ${why}`, {
    path,
    hint: 'claude plugin list shows whether the host can read it',
  })
}

/** The skill's file: in `skills/`, or in the folders that the manifest names. It never lies outside of the plugin. */
function skillFiles(root: string, skill: string): string[] {
  const folders = ['skills', ...manifestFolders(root)]
  const paths = folders.flatMap(folder => [
    join(root, folder, skill, 'SKILL.md'),
    ...(folder.endsWith(`/${skill}`) ? [join(root, folder, 'SKILL.md')] : []),
  ])
  return paths.filter(path => existsSync(path) && realpathSync(path).startsWith(realpathSync(root) + sep))
}

function manifestFolders(root: string): string[] {
  const read = readJson(join(root, '.claude-plugin', 'plugin.json'), { largest: LARGEST_LIST })
  const checked = manifestSchema.safeParse('value' in read ? read.value : {})
  return checked.success ? [checked.data.skills].flat() : []
}
