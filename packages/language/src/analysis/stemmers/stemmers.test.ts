import { describe, expect, it } from 'vitest';
import { normalizeGerman } from './normalizeGerman.js';
import { stemmerOf, withoutPossessive } from './stemmerOf.js';

/** Forms of one word, then their common stem. */
const SAME: Readonly<Record<string, readonly (readonly [words: string, stem: string])[]>> = {
  light_french: [
    ['cheval chevaux', 'cheval'],
    ['national nationale nationaux nationales', 'national'],
    ['maître maîtres maitre', 'maitr'],
    ['publication publications', 'public'],
    ['chanteur chanteuse', 'chant'],
  ],
  light_german: [
    ['kind kinder kindern kindes', 'kind'],
    ['häuser hauser häusern', 'haus'],
    ['schön schöne schönen schönste', 'schon'],
  ],
  light_spanish: [
    ['gatos gatas', 'gat'],
    ['canción canciones', 'cancion'],
    ['luz luces', 'luz'],
    ['rápida rápidos', 'rapid'],
  ],
  light_italian: [
    ['ragazzo ragazzi ragazza ragazze', 'ragazz'],
    ['fotografia fotografie', 'fotograf'],
  ],
  light_portuguese: [
    ['menino menina meninos meninas', 'menin'],
    ['animal animais', 'animal'],
    ['rapidamente', 'rapid'],
  ],
  english: [['walk walks walked walking', 'walk']],
  french: [['continuer continuation continuant', 'continu']],
  german: [['kategorie kategorien', 'kategori']],
  spanish: [['cantar cantaba cantando', 'cant']],
  italian: [['abbandonare abbandonato abbandonando', 'abbandon']],
  portuguese: [['cantar cantando cantava', 'cant']],
  dutch: [['lichaam lichamelijk', 'licham']],
};

describe('stemmers', () => {
  const cases = Object.entries(SAME).flatMap(([language, groups]) =>
    groups.flatMap(([words, stem]) => words.split(' ').map((word) => [language, word, stem])),
  ) as [string, string, string][];
  it.each(cases)('%s: %s → %s', (language, word, stem) => {
    expect(stemmerOf(language)(word)).toBe(stem);
  });

  it('takes off English genitives', () => {
    expect(['dog’s', "dogs'", "DOG'S", 'its'].map(withoutPossessive)).toEqual(['dog', "dogs'", 'DOG', 'its']);
  });

  it.each([
    ['straße', 'strasse'],
    ['koeln', 'koln'],
    ['köln', 'koln'],
    ['ueber', 'uber'],
    ['feuer', 'feuer'],
    ['quelle', 'quelle'],
    ['treue', 'treue'],
    ['haeuser', 'hauser'],
  ])('writes German words alike: %s → %s', (word, written) => {
    expect(normalizeGerman(word)).toBe(written);
  });
});
