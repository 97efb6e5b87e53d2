# The guest's end of the bridge to the proxy. It listens on the loopback and carries each connection over its own
# standard streams, which lead out of the sandbox. Who takes it over gains nothing: the proxy decides.
#
# Frames, both ways: kind (one letter), channel (32 bits), length (32 bits), that many bytes.
#   F a file, written to the path in the first argument (in)      R ready (out)
#   O a new connection (out)      D data      W so many bytes more may come (in "length", no bytes)
#   E no more data                C closed: nothing is wanted any more
use strict;
use warnings;
use Errno qw(EAGAIN EINTR);
use Fcntl qw(O_WRONLY O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK F_SETFL F_GETFL);
use Socket;

my ( $trusted, $port ) = @ARGV;
my $most    = 64;
my $window  = 262144;
my $in      = '';
my $next    = 1;
my %channel = ();

sub leave { exit $_[0] }

sub send_frame {
    my ( $kind, $id, $length, $bytes ) = @_;
    my $frame = pack( 'aNN', $kind, $id, $length ) . $bytes;
    my $done = 0;
    while ( $done < length $frame ) {
        my $wrote = syswrite STDOUT, $frame, length($frame) - $done, $done;
        if ( defined $wrote ) { $done += $wrote }
        elsif ( !$!{EINTR} )  { leave(0) }
    }
}

sub forget {
    my ($id) = @_;
    close $channel{$id}{socket};
    delete $channel{$id};
}

sub drop {
    my ($id) = @_;
    send_frame( 'C', $id, 0, '' );
    forget($id);
}

sub settle {
    my ($id) = @_;
    my $one = $channel{$id} or return;
    return if length $one->{out};
    return forget($id) if $one->{closed};
    if ( $one->{ended} == 1 ) { shutdown $one->{socket}, 1; $one->{ended} = 2 }
    forget($id) if $one->{ended} && $one->{heard};
}

sub write_file {
    my ($bytes) = @_;
    sysopen my $file, $trusted, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0444 or leave(1);
    print {$file} $bytes or leave(1);
    close $file or leave(1);
}

sub take {
    my ( $kind, $id, $length, $bytes ) = @_;
    if ( $kind eq 'F' ) { return write_file($bytes) }
    my $one = $channel{$id} or return;
    if    ( $kind eq 'D' ) { $one->{out} .= $bytes }
    elsif ( $kind eq 'W' ) { $one->{room} += $length }
    elsif ( $kind eq 'E' ) { $one->{ended} ||= 1 }
    elsif ( $kind eq 'C' ) { $one->{closed} = 1 }
    settle($id);
}

sub hear {
    my $got = sysread STDIN, $in, 65536, length $in;
    return if !defined $got && $!{EINTR};
    leave(0) if !$got;
    while ( length $in >= 9 ) {
        my ( $kind, $id, $length ) = unpack 'aNN', $in;
        my $size = $kind eq 'D' || $kind eq 'F' ? $length : 0;
        return if length $in < 9 + $size;
        my $bytes = substr $in, 9, $size;
        substr( $in, 0, 9 + $size ) = '';
        take( $kind, $id, $length, $bytes );
    }
}

sub greet {
    my ($listener) = @_;
    accept my $socket, $listener or return;
    fcntl $socket, F_SETFL, fcntl( $socket, F_GETFL, 0 ) | O_NONBLOCK;
    $channel{$next} = { socket => $socket, out => '', room => $window, ended => 0, heard => 0, closed => 0 };
    send_frame( 'O', $next++, 0, '' );
}

sub pass_in {
    my ($id) = @_;
    my $one  = $channel{$id};
    my $most = $one->{room} < 65536 ? $one->{room} : 65536;
    my $got  = sysread $one->{socket}, my $bytes, $most;
    return if !defined $got && ( $!{EAGAIN} || $!{EINTR} );
    return drop($id) if !defined $got;
    if ( !$got ) { $one->{heard} = 1; send_frame( 'E', $id, 0, '' ); return settle($id) }
    $one->{room} -= $got;
    send_frame( 'D', $id, $got, $bytes );
}

sub pass_out {
    my ($id)  = @_;
    my $one   = $channel{$id};
    my $wrote = syswrite $one->{socket}, $one->{out};
    return if !defined $wrote && ( $!{EAGAIN} || $!{EINTR} );
    return drop($id) if !defined $wrote;
    substr( $one->{out}, 0, $wrote ) = '';
    send_frame( 'W', $id, $wrote, '' );
    settle($id);
}

binmode $_ for \*STDIN, \*STDOUT;
$SIG{PIPE} = 'IGNORE';
socket my $listener, PF_INET, SOCK_STREAM, 0 or leave(1);
setsockopt $listener, SOL_SOCKET, SO_REUSEADDR, 1;
bind $listener, sockaddr_in( $port, INADDR_LOOPBACK ) or leave(1);
listen $listener, 64 or leave(1);
hear() until $in eq '' && -e $trusted;
send_frame( 'R', 0, 0, '' );
while (1) {
    my ( $readable, $writable ) = ( '', '' );
    vec( $readable, fileno STDIN,     1 ) = 1;
    vec( $readable, fileno $listener, 1 ) = 1 if keys %channel < $most;
    for my $one ( values %channel ) {
        vec( $readable, fileno $one->{socket}, 1 ) = 1 if $one->{room} && !$one->{heard} && !$one->{closed};
        vec( $writable, fileno $one->{socket}, 1 ) = 1 if length $one->{out};
    }
    next if select( $readable, $writable, undef, undef ) <= 0;
    for my $id ( keys %channel ) {
        my $number = fileno $channel{$id}{socket};
        pass_out($id) if vec( $writable, $number, 1 );
        pass_in($id) if $channel{$id} && vec( $readable, $number, 1 );
    }
    hear() if vec( $readable, fileno STDIN, 1 );
    greet($listener) if vec( $readable, fileno $listener, 1 );
}
