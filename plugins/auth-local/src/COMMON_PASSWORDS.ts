/**
 * Passwords that attackers try first, in lower case; at least 8 characters, because shorter ones are refused anyway.
 * A short list against the worst choices, compiled for this project from the entries that published lists have in
 * common; not a dictionary.
 */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
  password password1 password2 password3 password12 password123 password1234 password! password1! password123!
  passw0rd p@ssword p@ssw0rd p@ssw0rd1 passwort passwort1 passwort123 passphrase mypassword yourpassword
  thepassword newpassword oldpassword adminpassword rootpassword userpassword testpassword defaultpassword
  temppassword changeme changeme1 changeme123 changeit changethis letmein1 letmein123 letmeinnow welcome1
  welcome12 welcome123 welcome1! welcome2024 welcome2025 welcome2026 admin123 admin1234 admin12345 admin123456
  adminadmin administrator administrador rootroot root1234 superuser supervisor superman superman1 testtest
  test1234 test12345 test123456 testing1 testing123 guestguest guest123 demo1234 demodemo default1 default123
  system123 server123 database mysql123 postgres postgresql oracle123 tomcat123 jenkins1 elastic1 elasticsearch
  millrace millrace1 millrace123 qwerty12 qwerty123 qwerty1234 qwerty12345 qwertyui qwertyuiop qwertyuiop1
  qwertz123 qwertzui qwertzuiop azertyui azertyuiop asdfasdf asdfghjk asdfghjkl asdf1234 zxcvbnm1 zxcvbnm123
  1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 q1w2e3r4 q1w2e3r4t5 qazwsxedc qazwsx123 zaq12wsx
  zaq1zaq1 !qaz2wsx 12345678 123456789 1234567890 0123456789 01234567 87654321 987654321 9876543210 0987654321
  11111111 111111111 1111111111 22222222 33333333 44444444 55555555 66666666 77777777 88888888 888888888 99999999
  00000000 000000000 0000000000 12341234 12121212 11223344 1122334455 112233445566 123123123 123321123 123454321
  123456123 12344321 13131313 14725836 147258369 741852963 789456123 159753456 102030405 10203040 88776655
  12345678a 123456789a 1234567a a1234567 a12345678 a123456789 abcd1234 abcd12345 abc12345 abc123456 abc123abc
  abcdefgh abcdefghi abcdefghij aa123456 aa12345678 aaaaaaaa aaaaaaaaa 1a2b3c4d a1b2c3d4 a1b2c3d4e5 iloveyou
  iloveyou1 iloveyou2 ilovegod iloveyou123 sunshine sunshine1 princess princess1 football football1 baseball
  baseball1 basketball softball volleyball starwars startrek pokemon1 pokemon123 michael1 michelle jennifer
  jonathan jonathan1 jessica1 charlie1 charlie123 elizabeth victoria victoria1 samantha stephanie alexander
  alexander1 alexandra benjamin christian christopher nicholas patricia liverpool liverpool1 chelsea1 chelsea123
  arsenal1 manchester barcelona realmadrid juventus midnight midnight1 trustno1 whatever whatever1 computer
  computer1 internet internet1 samsung1 samsung123 google123 facebook facebook1 linkedin snapchat instagram
  microsoft windows10 dragon123 monkey123 shadow123 master123 master1234 hello123 hello1234 hellohello secret123
  secretsecret mysecret topsecret blink182 jordan23 maverick mercedes corvette mustang1 marlboro marlboro1
  metallica nirvana1 slipknot eminem12 butterfly butterfly1 chocolate chocolate1 strawberry blueberry cheesecake
  cocacola coca-cola pineapple snowball snowman1 spiderman spiderman1 spongebob scoobydoo tinkerbell cinderella
  mickeymouse garfield kingkong darkness warcraft minecraft minecraft1 playstation nintendo counterstrike
  callofduty gangster godzilla einstein airplane asshole1 bullshit fuckyou1 fuckyou123 dickhead godisgood jesus123
  jesuschrist blessed1 blessing heaven123 michigan virginia carolina california newyork1 brooklyn scotland
  portugal argentina colombia december november september february january1 summer123 summer2024 summer2025
  summer2026 winter123 winter2024 winter2025 winter2026 spring2024 spring2025 spring2026 autumn2024 autumn2025
  autumn2026 correcthorsebatterystaple
`
    .trim()
    .split(/\s+/),
);
