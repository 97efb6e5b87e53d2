# Connects the streams of this process with the relay of a rehearsal, which lives in a network of its own.
use strict;
use warnings;
use Socket;

$0 = 'perl';
socket my $relay, AF_UNIX, SOCK_STREAM, 0 or exit 1;
connect $relay, sockaddr_un('/tmp/.pratique') or exit 1;
binmode $_ for \*STDIN, \*STDOUT;
my @ways = ( [ \*STDIN, $relay ], [ $relay, \*STDOUT ] );
while (1) {
    my $readable = '';
    vec( $readable, fileno $_->[0], 1 ) = 1 for @ways;
    next if select( $readable, undef, undef, undef ) <= 0;
    for my $way ( grep { vec $readable, fileno $_->[0], 1 } @ways ) {
        sysread $way->[0], my $bytes, 65536 or exit 0;
        my $done = 0;
        while ( $done < length $bytes ) { $done += syswrite( $way->[1], $bytes, 65536, $done ) || exit 0 }
    }
}
